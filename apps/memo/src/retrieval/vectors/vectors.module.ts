import { Module } from '@nestjs/common';
import { Database } from '@inference/database';
import { GatewayClient } from '@inference/model-calls';
import { ModelsModule } from '../../models/models.module';
import { Embedder } from './embedder';
import { NearestChunks } from './nearest-chunks';
import { VECTORS_CONFIG, type VectorsConfig } from './vectors.config';

/** Embeds chunks, and finds the chunks nearest to a query. `NearestChunks` is null without an embedding model. */
@Module({
  imports: [ModelsModule],
  providers: [
    Embedder,
    {
      provide: NearestChunks,
      useFactory: ({ embeddingModel, minCosine }: VectorsConfig, database: Database, models: GatewayClient) =>
        embeddingModel === undefined ? null : new NearestChunks(database, models, embeddingModel, minCosine),
      inject: [VECTORS_CONFIG, Database, GatewayClient],
    },
  ],
  exports: [Embedder, NearestChunks],
})
export class VectorsModule {}
