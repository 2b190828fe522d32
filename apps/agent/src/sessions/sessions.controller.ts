import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { pageQuery, type PageQuery, ValidBody, ValidQuery } from '@inference/http';
import { sessionBody, type SessionBody } from './session.dto';
import { SessionId } from './session-id';
import { SessionsService } from './sessions.service';

/** Conversations with a model. Posting an event to an unused id also creates one (see EventsController). */
@Controller('v1/agents/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Post()
  create(@CurrentCaller() caller: Caller, @ValidBody(sessionBody) body: SessionBody) {
    return this.sessions.create(caller, body);
  }

  /** `{sessions, next_cursor}`, newest first. */
  @Get()
  list(@CurrentCaller() caller: Caller, @ValidQuery(pageQuery) query: PageQuery) {
    return this.sessions.list(caller, query);
  }

  @Get(':session_id')
  find(@CurrentCaller() caller: Caller, @SessionId() id: string) {
    return this.sessions.find(caller, id);
  }

  @Delete(':session_id')
  @HttpCode(204)
  remove(@CurrentCaller() caller: Caller, @SessionId() id: string) {
    return this.sessions.remove(caller, id);
  }

  /** Returns `{cancelled: [turn ids]}`, which is empty if no turn was open. */
  @Post(':session_id/cancel')
  @HttpCode(200)
  cancel(@CurrentCaller() caller: Caller, @SessionId() id: string) {
    return this.sessions.cancel(caller, id);
  }
}
