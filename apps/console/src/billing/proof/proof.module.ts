import { Module } from '@nestjs/common';
import { ProofController } from './proof.controller';
import { ProofService } from './proof.service';
import { RouterCostGateway } from './router-cost.gateway';

/** Compares usage, ledger and cost report of a period. */
@Module({ controllers: [ProofController], providers: [ProofService, RouterCostGateway] })
export class ProofModule {}
