import { Module } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
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
      useFactory: ({ embeddingModel, minCosine }: VectorsConfig, pool: SqlPool, models: GatewayClient) =>
        embeddingModel === undefined ? null : new NearestChunks(pool, models, embeddingModel, minCosine),
      inject: [VECTORS_CONFIG, SQL_POOL, GatewayClient],
    },
  ],
  exports: [Embedder, NearestChunks],
})
export class VectorsModule {}
