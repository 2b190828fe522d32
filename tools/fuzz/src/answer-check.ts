import { ResponseChecker } from '@inference/testing';
import { type Answer } from './answers';
import { type FuzzRequest } from './requests/requests';
import { needsCredential, type OpenApiDocument } from './requests/schema';

/** What answers without a credential. */
interface PublicOperation {
  /** In capitals. */
  method: string;
  pattern: RegExp;
}

/** Compares the answers of one service with its API document. */
export class AnswerCheck {
  private readonly checker: ResponseChecker;
  private readonly publicOperations: PublicOperation[];

  constructor(document: OpenApiDocument) {
    this.checker = new ResponseChecker(document as never);
    this.publicOperations = publicOperationsOf(document);
  }

  /** @param isEndingSessions requests that are sent at the same time end sessions, so that a valid credential may be refused */
  faultsOf(request: FuzzRequest, answer: Answer, isEndingSessions: boolean): string[] {
    const { target, presented, isPathSound } = request;
    const { status, headers, body } = answer;
    const isDocumentedFault = status === 501 && target.operation.responses[status] !== undefined;
    const faults = status >= 500 && !isDocumentedFault ? [`status ${status}`] : [];
    if (!isPathSound) return [...faults, ...this.faultsAtHostilePath(request, answer)];
    if (needsCredential(target.operation) && presented !== 'right' && status !== 401)
      faults.push(`status ${status} instead of 401`);
    if (status === 401 && presented === 'right' && !isEndingSessions)
      faults.push('status 401 for a valid credential');
    if (answer.isPart) return faults;
    const { method, path } = target;
    return [...faults, ...this.checker.faultsOf({ method, route: path, status, headers, body })];
  }

  /**
   * A hostile path may lead to another operation, or to none. Without a right credential only a public operation may succeed.
   * An error has the shape of the service all the same: that of its status, or that of a 500.
   */
  private faultsAtHostilePath(request: FuzzRequest, { status, headers, body }: Answer): string[] {
    const { target, presented } = request;
    if (status < 300 && presented !== 'right' && !this.leadsToPublicOperation(request))
      return [`status ${status} without a credential`];
    if (status < 400) return [];
    const { method, path } = target;
    const ofStatus = this.checker.faultsOf({ method, route: path, status, headers, body });
    return ofStatus.length === 0
      ? []
      : this.checker.faultsOf({ method, route: path, status: 500, headers, body });
  }

  private leadsToPublicOperation({ target, path }: FuzzRequest): boolean {
    // As it is sent: without `.` and `..`.
    const { pathname } = new URL(target.origin + path);
    return this.publicOperations.some(
      ({ method, pattern }) => method === target.method && pattern.test(pathname),
    );
  }
}

const publicOperationsOf = ({ paths }: OpenApiDocument): PublicOperation[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => !needsCredential(operation))
      .map(([method]) => ({ method: method.toUpperCase(), pattern: patternOf(path) })),
  );

/** Express ignores a slash at the end. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`);
