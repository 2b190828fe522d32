import { z } from 'zod';
import { service } from './fields';
import { ConfigError, loadConfig } from './load-config';

const schema = z.object({ CORS_ORIGINS: service.CORS_ORIGINS });
const read = (CORS_ORIGINS: string) => loadConfig(schema, { CORS_ORIGINS }).CORS_ORIGINS;

describe('CORS_ORIGINS', () => {
  it.each([
    ['', undefined],
    ['*', '*'],
    ['https://console.example.com', ['https://console.example.com']],
    ['https://a.example, http://localhost:5173', ['https://a.example', 'http://localhost:5173']],
  ])('takes "%s"', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    'https://console.example.com/',
    'https://console.example.com/app',
    'https://console.example.com:443',
    'https://Console.example.com',
    'https://user@console.example.com',
    'console.example.com',
    '//console.example.com',
    'ftp://console.example.com',
    'https://*.example.com/',
    'https://a.example,*',
    'https://a.example,',
    'null',
  ])('refuses "%s"', (text) => {
    expect(() => read(text)).toThrow(ConfigError);
    expect(() => read(text)).toThrow('CORS_ORIGINS: must be * or a list of origins such as https://');
  });
});
