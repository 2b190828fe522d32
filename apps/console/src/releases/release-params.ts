import { BadRequestException, NotFoundException, Param, type PipeTransform } from '@nestjs/common';
import { type Component, COMPONENTS } from './component';
import { isReleaseTag } from './release-tag';

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

/** `:component` of the path; 404 for any other. */
export const ComponentParam = () => Param('component', new ComponentPipe());

/** `:tag` of the path; 400 for what is no version. */
export const TagParam = () => Param('tag', new TagPipe());
