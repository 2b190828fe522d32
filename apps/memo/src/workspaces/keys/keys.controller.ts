import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Accepts } from '@inference/guards';
import { type PageQuery, pageQuery, ValidBody, ValidQuery } from '@inference/http';
import { CurrentMember, type Member } from '../../access/member';
import { RequiresRole } from '../../access/workspace.guard';
import { keyBody, type KeyBody } from './key.dto';
import { KeysService } from './keys.service';

/** Keys of a workspace, for programs that call with `X-API-Key`. A key cannot create or delete keys. */
@Controller('v1/workspaces/:workspace_id/keys')
@Accepts('session')
@RequiresRole('viewer')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  /** The key itself occurs only in this response. */
  @Post()
  create(@CurrentMember() member: Member, @ValidBody(keyBody) body: KeyBody) {
    return this.keys.create(member, body);
  }

  /** `{keys, next_cursor}`, newest first: the caller's own keys, or all keys for an admin. */
  @Get()
  list(@CurrentMember() member: Member, @ValidQuery(pageQuery) query: PageQuery) {
    return this.keys.list(member, query);
  }

  @Delete(':key_id')
  @HttpCode(204)
  remove(@CurrentMember() member: Member, @Param('key_id') id: string) {
    return this.keys.remove(member, id);
  }
}
