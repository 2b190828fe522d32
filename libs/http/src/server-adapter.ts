import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { type NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express } from 'express';

/**
 * Nest's adapter with a server that creates requests and responses with Express's prototypes. Express itself changes their
 * prototypes later, which slows every use of them down (ADR 37).
 */
export class ServerAdapter extends ExpressAdapter {
  override initHttpServer({ httpsOptions, forceCloseConnections }: NestApplicationOptions): void {
    if (httpsOptions !== undefined || forceCloseConnections !== undefined)
      throw new Error('httpsOptions, forceCloseConnections: are not supported');
    const express = this.getInstance<Express>();
    class ExpressRequest extends IncomingMessage {}
    class ExpressResponse extends ServerResponse {}
    express.request = addMethods(ExpressRequest, express.request);
    express.response = addMethods(ExpressResponse, express.response);
    this.setHttpServer(
      createServer({ IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }, express),
    );
  }
}

/** Returns the prototype of the class. What Express sets is then what its objects already have. */
function addMethods<Methods extends object>(type: { prototype: object }, methods: Methods): Methods {
  return Object.setPrototypeOf(type.prototype, methods) as Methods;
}
