import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { CompressedAnswersMiddleware } from './compressed-answers.middleware';
import { UserInterfaceMiddleware } from './user-interface.middleware';

/** The console's pages in a browser, if this service is to serve them (`CONSOLE_UI_DIRECTORY`). Answers of the API are compressed. */
@Module({})
export class UserInterfaceModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(CompressedAnswersMiddleware, UserInterfaceMiddleware).forRoutes('{*path}');
  }
}
