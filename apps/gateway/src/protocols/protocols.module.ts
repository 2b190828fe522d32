import { Module } from '@nestjs/common';
import { ProxyModule } from '../proxy/proxy.module';
import { MessagesController } from './messages/messages.controller';
import { ResponsesController } from './responses/responses.controller';
import { RootController } from './root.controller';
import { ProtocolsService } from './protocols.service';

/** Protocols beside OpenAI's chat completions, by which they are served. */
@Module({
  imports: [ProxyModule],
  controllers: [MessagesController, ResponsesController, RootController],
  providers: [ProtocolsService],
})
export class ProtocolsModule {}
