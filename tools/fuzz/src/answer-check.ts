import { ResponseChecker } from '@inference/testing';
import { type Answer } from './answers';
import { type FuzzRequest } from './requests/requests';
import { needsCredential, type OpenApiDocument } from './requests/schema';

/** Compares the answers of one service with its API document. */
export class AnswerCheck {
  private readonly checker: ResponseChecker;

  constructor(document: OpenApiDocument) {
    this.checker = new ResponseChecker(document as never);
  }

  /** @param isEndingSessions requests that are sent at the same time end sessions, so that a valid credential may be refused */
  faultsOf(request: FuzzRequest, answer: Answer, isEndingSessions: boolean): string[] {
    const { target, presented, isPathSound } = request;
    const { status, headers, body } = answer;
    const isDocumentedFault = status === 501 && target.operation.responses[status] !== undefined;
    const faults = status >= 500 && !isDocumentedFault ? [`status ${status}`] : [];
    if (!isPathSound) return status < 400 ? faults : [...faults, ...this.errorFaultsOf(request, answer)];
    if (needsCredential(target.operation) && presented !== 'right' && status !== 401)
      faults.push(`status ${status} instead of 401`);
    if (status === 401 && presented === 'right' && !isEndingSessions)
      faults.push('status 401 for a valid credential');
    if (answer.isPart) return faults;
    const { method, path } = target;
    return [...faults, ...this.checker.faultsOf({ method, route: path, status, headers, body })];
  }

  /**
   * A hostile path may lead to another operation, or to none. The error has the shape of the service all the same: that of its
   * status, or that of a 500.
   */
  private errorFaultsOf({ target }: FuzzRequest, { status, headers, body }: Answer): string[] {
    const { method, path } = target;
    const ofStatus = this.checker.faultsOf({ method, route: path, status, headers, body });
    return ofStatus.length === 0
      ? []
      : this.checker.faultsOf({ method, route: path, status: 500, headers, body });
  }
}
