import { Database } from '@inference/database';
import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { insertTrainingPrice, readNewestPrices, type TrainingPriceRow } from './price-lists.repository';
import { type TrainingPriceResponse, trainingPriceView } from './price-responses';
import { type PublishTrainingPriceDto } from './pricing.dto';
import { lockListsFor, publicationOf, type Publisher, reasonOf } from './publisher';

/** What training costs. A new price replaces the previous one, which stays as history. */
@Injectable()
export class TrainingPriceService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** The current price; null before the first one. */
  async read(): Promise<TrainingPriceResponse | null> {
    const [price] = await readNewestPrices(this.database, 'training', 1);
    return price ? trainingPriceView(price, this.site.currency) : null;
  }

  /** Stores the price, or nothing if nobody publishes. Throws 400 for the currency of the other site. */
  async publish(
    { currency, token_per_m: tokenRatePicos, gpu_hour: gpuHourPicos }: PublishTrainingPriceDto,
    publisher: Publisher,
  ): Promise<TrainingPriceResponse> {
    if (currency !== undefined && currency !== this.site.currency) {
      throw new BadRequestException(`currency: this site's currency is ${this.site.currency}`);
    }
    const price: TrainingPriceRow = { tokenRatePicos, gpuHourPicos };
    if (publisher !== null) {
      await this.database.transaction(async (transaction) => {
        await lockListsFor(transaction, 'training', publisher);
        await insertTrainingPrice(transaction, price, publicationOf(publisher));
        await recordActorEvent(transaction, publisher.admin, 'admin.prices_published', {
          list: 'training',
          rows: 1,
          ...reasonOf(publisher),
        });
      });
    }
    return trainingPriceView(price, this.site.currency);
  }
}
