import { ChoiceField } from '@inference/dto';
import { type Role, ROLES } from '@inference/guards';
import { AdminConfirmationDto } from '../second-factor/two-factor.dto';

export class ChangeRoleDto extends AdminConfirmationDto {
  @ChoiceField(ROLES, {
    description:
      '`user`: a customer. `admin`: may do everything. `operator`: models, upstreams, prices and releases. `finance`: payments, refunds, adjustments and reports. `support`: reads accounts and helps customers with keys and second factors. `analyst`: reports.',
    example: 'analyst',
  })
  role!: Role;
}
