import { SetMetadata } from '@nestjs/common';

/** Metadata key that guards read. */
export const PUBLIC = 'public';

/** Exempts a route from the app's global guard: it needs no credential. */
export const Public = () => SetMetadata(PUBLIC, true);
