import { timesAsLong } from '@inference/testing';
import { faultOfPassword } from './refused-passwords';

const OWNER = { email: 'ann.smith@example.com', username: 'ann-of-the-shop', phone: '+14155550123' };
const COMMON = expect.stringContaining('too common') as string;
/** A check whose time grows with the square takes 16 times as long. */
const MOST_TIMES = 5;
const NAME = expect.stringContaining('must not be') as string;

describe('a password that is guessed first', () => {
  it.each([
    'password',
    'PassWord',
    'password1',
    'Password2026',
    'password!',
    '!!password',
    '123456789',
    'qwertyuiop',
    'P@ssw0rd',
    'passwordpassword',
    'aaaaaaaaaaaa',
    'ｐａｓｓｗｏｒｄ',
    ' password ',
    'iloveyou',
    'letmein123',
  ])('is refused: %s', (password) => {
    expect(faultOfPassword(password, OWNER)).toEqual(COMMON);
  });

  it.each([
    'ann.smith@example.com',
    'ANN.Smith@example.com',
    'ann.smith',
    'ann.smith1',
    'ann-of-the-shop',
    'ann-of-the-shop!26',
    '+14155550123',
    '14155550123',
    'ann.smithann.smith',
  ])('is refused as a name of its owner: %s', (password) => {
    expect(faultOfPassword(password, OWNER)).toEqual(NAME);
  });

  it.each([
    'correct horse battery',
    'correct-horse-battery-operator',
    'a long password',
    '密码密码密码密码',
    'пароль пароль',
    'ann.smith likes coffee',
    'Xk7-qT4v-2000',
    '8c1f0e7ad2b94465',
  ])('does not refuse %s', (password) => {
    expect(faultOfPassword(password, OWNER)).toBeNull();
  });

  it.each(['ab', 'a', '0', 'a0'])('takes little longer if it is long: many %s', async (unit) => {
    const longest = unit.repeat(256).slice(0, 255) + 'x';
    const check = (password: string, times: number) => {
      for (let time = 0; time < times; time++) faultOfPassword(password, OWNER);
    };
    const times = await timesAsLong(
      () => check(longest, 50),
      () => check(longest.slice(-16), 50 * 16),
      MOST_TIMES,
    );
    expect(times).toBeLessThan(MOST_TIMES);
  });
});
