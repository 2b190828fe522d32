import { BadRequestException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { unknownFields } from '@inference/dto';
import { type Request } from 'express';
import { PerRoute } from '../per-route';
import { takesParameter } from './handler-parameters';

/**
 * Answers 400 to the fields of a JSON body whose handler takes none: the client expects an effect that they do not have. An empty
 * object passes, because many clients send one with every POST.
 */
export class UnexpectedBodyGuard implements CanActivate {
  private readonly isTaken = new PerRoute((context) => takesParameter(RouteParamtypes.BODY, context));

  canActivate(context: ExecutionContext): boolean {
    const body: unknown = context.switchToHttp().getRequest<Request>().body;
    if (body === undefined || Buffer.isBuffer(body) || this.isTaken.of(context)) return true;
    if (body === null || typeof body !== 'object' || Array.isArray(body))
      throw new BadRequestException('the body must be empty or an empty JSON object');
    const names = Object.keys(body);
    if (names.length > 0) throw unknownFields(names);
    return true;
  }
}
