import { Database } from '@inference/database';
import { StaffOnly } from '@inference/guards';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { StaffListResponse } from './staff.dto';
import { listStaff } from './staff.repository';

const COLUMNS = ['id', 'email', 'role', 'since', 'given_by', 'provider', 'second_factor', 'last_used_at'];

@Controller('api/admin/staff')
@ApiTags('Administration of accounts')
@StaffOnly()
export class StaffController {
  constructor(private readonly database: Database) {}

  @Get()
  @ApiOperation({
    operationId: 'listStaff',
    summary: 'Lists everybody who has a role of the staff, since when, and when they were here last.',
  })
  @ListOrCsv({ description: 'The staff.', type: StaffListResponse, rows: 'staff', columns: COLUMNS })
  async list(): Promise<StaffListResponse> {
    const staff = await listStaff(this.database);
    return {
      staff: staff.map(({ id, email, role, since, givenBy, provider, secondFactor, lastUsedAt }) => ({
        id,
        email,
        role,
        since: since.toISOString(),
        given_by: givenBy,
        provider,
        second_factor: secondFactor,
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
    };
  }
}
