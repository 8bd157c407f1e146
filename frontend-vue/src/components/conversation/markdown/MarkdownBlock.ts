import type { Token } from 'marked'
import { defineComponent, type PropType } from 'vue'
import { render } from './render'
import type { Span } from './span'

/** One block as a component of its own: a settled block keeps its token and is not rendered again. */
export const MarkdownBlock = defineComponent({
  name: 'MarkdownBlock',
  props: {
    token: { type: Object as PropType<Token>, required: true },
    offset: { type: Number, required: true },
    span: { type: Object as PropType<Span | null>, default: null },
    citations: { type: Boolean, required: true },
    headingShift: { type: Number, required: true },
  },
  setup(props) {
    return () => render(props.token, props)
  },
})
