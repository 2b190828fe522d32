import { ErrorResponse } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';

const TURN_ID_EXAMPLE = 'turn_0Vc3kZ8dQ1mXw7RtYb2LsA';

/** A conflict with a turn of the session. */
export class BusyResponse extends ErrorResponse {
  @ApiProperty({
    required: false,
    description: 'The first open turn, if the session is busy.',
    example: TURN_ID_EXAMPLE,
  })
  turn_id?: string;
}

/** An error of the request, or the gateway's refusal to call the model; then it has a code and a turn. */
export class RefusalResponse extends ErrorResponse {
  @ApiProperty({
    required: false,
    description: 'For programs, if the gateway or the model refused; it does not change between versions.',
    example: 'insufficient_balance',
  })
  code?: string;

  @ApiProperty({
    required: false,
    description: 'The stored turn that failed for this reason.',
    example: TURN_ID_EXAMPLE,
  })
  turn_id?: string;
}
