import { Module } from '@nestjs/common';
import { EnvironmentsController } from './environments.controller';

/** The routes of agent environments. */
@Module({ controllers: [EnvironmentsController] })
export class EnvironmentsModule {}
