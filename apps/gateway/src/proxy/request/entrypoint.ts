import { compileValidator } from '@inference/dto';
import { type Caller, callerOf } from '@inference/guards';
import { type Request } from 'express';
import { CallNotes, clientRequestIdOf, DEFAULT_ENTRYPOINT } from '../../unserved-calls/call-notes';
import { type CalledEndpoint } from '../../upstreams/upstream';
import { ProxyHeaders } from './proxy-request.dto';
import { InvalidHeaderError, ReservedEntrypointError } from './request.errors';

/** Entrypoints of the platform's own services; customers cannot use them. */
const RESERVED = new Set(['agent', 'memo', 'console', 'training']);

const faultsOf = compileValidator(ProxyHeaders);

/**
 * Reads the origin of a request from `X-Entrypoint`; the cost report groups by it. A service that acts on behalf of an
 * account can name only itself, which is also its default. Throws InvalidHeaderError, ReservedEntrypointError.
 */
function readEntrypoint(header: string | undefined, { service }: Caller): string {
  if (header === undefined) return service ?? DEFAULT_ENTRYPOINT;
  refuseInvalid('X-Entrypoint', header);
  if (service === undefined && RESERVED.has(header))
    throw new ReservedEntrypointError(`The entrypoint ${header} is set by the platform itself.`);
  if (service !== undefined && header !== service)
    throw new ReservedEntrypointError(`The entrypoint of ${service} is ${service}.`);
  return header;
}

/** Reads `X-Inference-Fallback`. Throws InvalidHeaderError. */
export function readAllowsFallbacks(request: Request): boolean {
  const header = request.get('X-Inference-Fallback');
  if (header === undefined) return true;
  refuseInvalid('X-Inference-Fallback', header);
  return header === 'on';
}

function refuseInvalid(name: string, value: string): void {
  const [fault] = faultsOf({ [name]: value });
  if (fault) throw new InvalidHeaderError(fault);
}

/** Throws InvalidHeaderError. */
function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  refuseInvalid('Idempotency-Key', header);
  return header;
}

/** Begins the notes of a call. Throws InvalidHeaderError, ReservedEntrypointError. */
export function beginCall(endpoint: CalledEndpoint, request: Request): CallNotes {
  const caller = callerOf(request);
  const call = (request.call = new CallNotes(endpoint, caller, request.id!));
  call.entrypoint = readEntrypoint(request.get('X-Entrypoint'), caller);
  call.allowsFallbacks = readAllowsFallbacks(request);
  call.clientRequestId = clientRequestIdOf(request, caller);
  call.idempotencyKey = readIdempotencyKey(request.get('Idempotency-Key'));
  return call;
}
