import { ChoiceField } from '@inference/dto';
import { type Role } from '@inference/guards';
import { ROLES } from '../../accounts/accounts.dto';
import { AdminConfirmationDto } from '../second-factor/two-factor.dto';

export class ChangeRoleDto extends AdminConfirmationDto {
  @ChoiceField(ROLES, {
    description:
      '`user`: a customer. `analyst`: also sees everyone’s cost. `admin`: also administers the site.',
    example: 'analyst',
  })
  role!: Role;
}
