import { BadRequestException, NotFoundException, Param, type PipeTransform } from '@nestjs/common';
import { type Component, COMPONENTS } from '../../components/component';
import { isReleaseTag } from '../release-format/release-tag';

class ComponentPipe implements PipeTransform {
  transform(name: string): Component {
    const component = COMPONENTS.find((known) => known === name);
    if (!component) throw new NotFoundException('no such component');
    return component;
  }
}

class TagPipe implements PipeTransform {
  transform(tag: string): string {
    if (isReleaseTag(tag)) return tag;
    throw new BadRequestException(
      'tag: must be v<major>.<minor>.<patch>, such as v1.2.3 or v2.0.0-rc.1, without build metadata',
    );
  }
}

/** The path parameter `:component`. Throws 404 for an unknown component. */
export const ComponentParam = () => Param('component', new ComponentPipe());

/** The path parameter `:tag`. Throws 400 for a tag that is no version. */
export const TagParam = () => Param('tag', new TagPipe());
