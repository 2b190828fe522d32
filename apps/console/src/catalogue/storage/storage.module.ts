import { Module } from '@nestjs/common';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';
import { OBJECT_STORAGE, OBJECT_STORAGE_PROVIDER } from './object-storage.provider';

/** Stores model packages in a folder or in S3, and serves the files of the folder. */
@Module({
  controllers: [FilesController],
  providers: [OBJECT_STORAGE_PROVIDER, FilesService],
  exports: [OBJECT_STORAGE],
})
export class StorageModule {}
