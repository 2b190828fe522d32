import { deviceOf } from './session-list.service';

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the device of a user agent', () => {
  it.each([
    ['Chrome on Windows', `${WINDOWS} ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`],
    ['Edge on Windows', `${WINDOWS} ${WEBKIT} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`],
    ['Opera on Windows', `${WINDOWS} ${WEBKIT} Chrome/131.0.0.0 Safari/537.36 OPR/116.0.0.0`],
    ['Safari on macOS', `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`],
    ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'],
    ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/131.0.0.0 Safari/537.36`],
    [
      'Chrome on ChromeOS',
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`,
    ],
    [
      'Chrome on Android',
      `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`,
    ],
    ['Safari on iPhone', `${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1`],
    ['Chrome on iPhone', `${IPHONE} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`],
    [
      'WeChat on iPhone',
      `${IPHONE} Mobile/15E148 MicroMessenger/8.0.53(0x18003531) NetType/WIFI Language/zh_CN`,
    ],
    ['iPhone', `${IPHONE} Mobile/15E148`],
    ['curl', 'curl/8.14.1'],
    ['python-requests', 'python-requests/2.32.3'],
    ['node', 'node'],
    ['PostmanRuntime', 'PostmanRuntime/7.42.0'],
    ['unknown', 'Mozilla/5.0'],
    ['unknown', '<script>alert(1)</script>'],
    ['unknown', ''],
    ['unknown', null],
  ])('is %s', (device, userAgent) => {
    expect(deviceOf(userAgent)).toBe(device);
  });
});
