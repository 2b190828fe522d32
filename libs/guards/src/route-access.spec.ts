import { type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Public } from '@inference/http';
import { Accepts, Roles } from './credentials.decorators';
import { RouteAccessReader } from './route-access';

class Shared {
  plain() {}

  @Accepts('api_key')
  keyed() {}
}

@Public()
class Open extends Shared {}

@Accepts('session')
@Roles('admin')
class Closed extends Shared {}

const reader = new RouteAccessReader(new Reflector());
const read = (controller: Type<Shared>, handler: 'plain' | 'keyed') =>
  reader.of({
    getClass: () => controller,
    getHandler: () => controller.prototype[handler] as () => void,
  } as unknown as ExecutionContext);

it('does not confuse the controllers that inherit a handler', () => {
  for (let i = 0; i < 2; i++) {
    expect(read(Open, 'plain')).toEqual({ isPublic: true, accepts: undefined, roles: undefined });
    expect(read(Closed, 'plain')).toEqual({ isPublic: false, accepts: ['session'], roles: ['admin'] });
  }
});

it('prefers the decorators of the handler to those of the controller', () => {
  expect(read(Closed, 'keyed')).toEqual({ isPublic: false, accepts: ['api_key'], roles: ['admin'] });
});
