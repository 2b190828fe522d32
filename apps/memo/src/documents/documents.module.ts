import { Module } from '@nestjs/common';
import { DocumentsController } from './documents.controller';
import { DocumentsService } from './documents.service';
import { SourceFilesModule } from './source-files/source-files.module';
import { UploadsModule } from './uploads/uploads.module';

/** Documents of a workspace, their versions and their uploads. */
@Module({
  imports: [SourceFilesModule, UploadsModule],
  controllers: [DocumentsController],
  providers: [DocumentsService],
})
export class DocumentsModule {}
