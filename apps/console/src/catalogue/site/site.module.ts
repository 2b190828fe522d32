import { Module } from '@nestjs/common';
import { SiteController } from './site.controller';

/** Public metadata of the site. */
@Module({ controllers: [SiteController] })
export class SiteModule {}
