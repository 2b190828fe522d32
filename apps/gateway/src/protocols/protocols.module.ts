import { Module } from '@nestjs/common';
import { ProxyModule } from '../proxy/proxy.module';
import { UpstreamsModule } from '../upstreams/upstreams.module';
import { MessagesController } from './messages/messages.controller';
import { TokenCounts } from './messages/token-counts.service';
import { ResponsesController } from './responses/responses.controller';
import { StoredResponsesController } from './responses/stored/stored-responses.controller';
import { StoredResponses } from './responses/stored/stored-responses.service';
import { RootController } from './root.controller';
import { ProtocolsService } from './protocols.service';

/** Protocols beside OpenAI's chat completions, by which they are served. */
@Module({
  imports: [ProxyModule, UpstreamsModule],
  controllers: [MessagesController, ResponsesController, RootController, StoredResponsesController],
  providers: [ProtocolsService, StoredResponses, TokenCounts],
})
export class ProtocolsModule {}
