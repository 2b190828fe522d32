import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express } from 'express';

/**
 * Nest's adapter with a server that creates requests and responses as Express's. Express itself sets their prototypes later, which
 * slows every use of them down (ADR 37).
 */
export class ServerAdapter extends ExpressAdapter {
  override initHttpServer({ httpsOptions, forceCloseConnections }: NestApplicationOptions): void {
    if (httpsOptions !== undefined || forceCloseConnections !== undefined)
      throw new Error('The server is plain HTTP and drains its connections itself.');
    const express = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    express.request = methodsOf(ExpressRequest, express.request);
    express.response = methodsOf(ExpressResponse, express.response);
    this.setHttpServer(
      createServer({ IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }, express),
    );
  }
}

/** The prototype of a class, with Express's methods added. Express leaves objects alone that already have it. */
function methodsOf<Methods extends object>(type: { prototype: object }, methods: Methods): Methods {
  return Object.setPrototypeOf(type.prototype, methods) as Methods;
}
