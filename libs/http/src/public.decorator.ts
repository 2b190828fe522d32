import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'public';

/** Opens a route that the app's global guard would close. */
export const Public = () => SetMetadata(PUBLIC, true);
