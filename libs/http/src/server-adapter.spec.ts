import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type Express } from 'express';
import { ServerAdapter } from './service';

@Controller()
class GreetingController {
  @Get('greeting')
  greet(): string {
    return 'hello';
  }
}

@Module({ controllers: [GreetingController] })
class GreetingModule {}

describe('ServerAdapter', () => {
  let app: NestExpressApplication;

  beforeEach(async () => {
    app = await NestFactory.create<NestExpressApplication>(GreetingModule, new ServerAdapter(), {
      logger: false,
    });
  });

  afterEach(() => app.close());

  it('creates requests and responses with the prototypes that Express would set', async () => {
    const express = app.getHttpAdapter().getInstance() as Express;
    const prototypes: unknown[] = [];
    const server = app.getHttpServer() as Server;
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response)),
    );
    await app.listen(0, '127.0.0.1');
    const response = await fetch(`${await app.getUrl()}/greeting`);
    expect(await response.text()).toBe('hello');
    expect(prototypes[0]).toBe(express.request);
    expect(prototypes[1]).toBe(express.response);
    expect(typeof express.request.get).toBe('function');
  });

  it.each([{ httpsOptions: {} }, { forceCloseConnections: true }])('refuses %j', async (options) => {
    const creation = NestFactory.create(GreetingModule, new ServerAdapter(), {
      ...options,
      logger: false,
      abortOnError: false,
    });
    await expect(creation).rejects.toThrow('are not supported');
  });
});
