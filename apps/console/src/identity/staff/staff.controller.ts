import { Database } from '@inference/database';
import { StaffOnly, STAFF_ROLES, type StaffRole } from '@inference/guards';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags, ApiProperty } from '@nestjs/swagger';
import { InstantProperty } from '@inference/dto';
import { ListOrCsv } from '../../lists/csv-list';
import { listStaff } from './staff.repository';

const SECOND_FACTORS = ['totp', 'provider'] as const;

/** A person of the staff, for the review of who may do what. */
class StaffMemberResponse {
  @ApiProperty({ description: 'The id of the account.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The e-mail address.', example: 'ann@example.com' })
  email!: string;

  @ApiProperty({ description: 'What the person may do.', enum: STAFF_ROLES, example: 'operator' })
  role!: StaffRole;

  @InstantProperty({ description: 'Since when the person has this role.' })
  since!: string;

  @ApiProperty({
    description:
      'The address of the admin who gave the role; null for an operator’s command and for a group.',
    type: String,
    nullable: true,
    example: 'root@example.com',
  })
  given_by!: string | null;

  @ApiProperty({
    description: 'The OpenID provider whose group gives the role; null if a person or a command gave it.',
    type: String,
    nullable: true,
    example: 'company',
  })
  provider!: string | null;

  @ApiProperty({
    description:
      'The second factor: `totp` for an authenticator, `provider` if the OpenID provider asked for one at the last sign-in; null for none.',
    enum: SECOND_FACTORS,
    nullable: true,
    example: 'totp',
  })
  second_factor!: (typeof SECOND_FACTORS)[number] | null;

  @InstantProperty({
    description: 'When a session of the person was used last; null if none was for a long time.',
    nullable: true,
  })
  last_used_at!: string | null;
}

class StaffListResponse {
  @ApiProperty({ description: 'Admins first, then by role and address.', type: [StaffMemberResponse] })
  staff!: StaffMemberResponse[];
}

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
