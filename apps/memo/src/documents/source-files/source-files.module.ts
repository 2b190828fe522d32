import { Module } from '@nestjs/common';
import { SourceFileStore } from './source-file-store';

/** Uploaded files, stored until their text is extracted. */
@Module({ providers: [SourceFileStore], exports: [SourceFileStore] })
export class SourceFilesModule {}
