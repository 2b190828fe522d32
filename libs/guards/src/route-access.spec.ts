import { Controller, type ExecutionContext, Get, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Public } from '@inference/http';
import { Accepts, StaffOnly } from './credentials.decorators';
import { RouteAccessReader } from './route-access';

class Shared {
  @Get()
  plain() {}

  @Get('keyed')
  @Accepts('api_key')
  keyed() {}
}

@Controller('open')
@Public()
class Open extends Shared {}

@Controller('api/admin/accounts')
@Accepts('session')
@StaffOnly()
class Closed extends Shared {}

const reader = new RouteAccessReader(new Reflector());
const read = (controller: Type<Shared>, handler: 'plain' | 'keyed') =>
  reader.of({
    getClass: () => controller,
    getHandler: () => controller.prototype[handler] as () => void,
  } as unknown as ExecutionContext);

it('does not confuse the controllers that inherit a handler', () => {
  for (let i = 0; i < 2; i++) {
    expect(read(Open, 'plain')).toEqual({
      isPublic: true,
      accepts: undefined,
      roles: undefined,
      isSecondFactorSetup: false,
      isOpenInView: false,
      readsCredential: undefined,
    });
    expect(read(Closed, 'plain')).toEqual({
      isPublic: false,
      accepts: ['session'],
      roles: ['admin', 'finance', 'support'],
      isSecondFactorSetup: false,
      isOpenInView: false,
      readsCredential: undefined,
    });
  }
});

it('prefers the decorators of the handler to those of the controller', () => {
  expect(read(Closed, 'keyed')).toMatchObject({ isPublic: false, accepts: ['api_key'] });
});

it('opens a route for staff that is not in the table to admins only', () => {
  expect(read(Closed, 'keyed').roles).toEqual(['admin']);
});
