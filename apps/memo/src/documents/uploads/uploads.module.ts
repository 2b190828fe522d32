import { Module } from '@nestjs/common';
import { SourceFilesModule } from '../source-files/source-files.module';
import { JsonUploadParser } from './json-upload-parser';
import { UploadReader } from './upload-reader';

@Module({
  imports: [SourceFilesModule],
  providers: [JsonUploadParser, UploadReader],
  exports: [UploadReader],
})
export class UploadsModule {}
