import { SetMetadata } from '@nestjs/common';

export const FAST_PATH = 'fast path';

/**
 * Serves a `POST` handler without Express and Nest's router (see serveFastPaths). Its parameters are `@Req()` and `@Res()`, in
 * this order, and it writes the response itself. Guards, pipes, interceptors and filters of its own are not possible.
 */
export const FastPath = () => SetMetadata(FAST_PATH, true);
