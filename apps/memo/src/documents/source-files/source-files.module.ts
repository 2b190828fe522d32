import { Module } from '@nestjs/common';
import { SourceFileStore } from './source-file-store';

/** Uploaded files, stored until their text is extracted, and longer if their pages are shown. */
@Module({ providers: [SourceFileStore], exports: [SourceFileStore] })
export class SourceFilesModule {}
