import { ApiExtension } from '@nestjs/swagger';

/** Extension of a schema that `toOpenApi31` replaces by `additionalProperties: true`. */
export const OPEN_OBJECT = 'x-open-object';

/** Class decorator: objects may have further members, because an outside system decides on them. */
export const ApiOpenObject = (): ClassDecorator => ApiExtension(OPEN_OBJECT, true) as ClassDecorator;
