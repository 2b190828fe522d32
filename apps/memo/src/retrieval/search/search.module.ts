import { Module } from '@nestjs/common';
import { VectorsModule } from '../vectors/vectors.module';
import { SearchController } from './search.controller';
import { SearchService } from './search.service';

@Module({
  imports: [VectorsModule],
  controllers: [SearchController],
  providers: [SearchService],
  exports: [SearchService],
})
export class SearchModule {}
