const TOLERANT = Symbol('tolerant');

/** Class decorator of a DTO: unknown fields are dropped instead of refused, because the protocol demands it. */
export const Tolerant = (): ClassDecorator => (target) => Reflect.defineMetadata(TOLERANT, true, target);

export const isTolerant = (target: object): boolean => Reflect.getMetadata(TOLERANT, target) === true;
