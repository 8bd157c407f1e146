import type { components } from './schema'

type Schemas = components['schemas']

export type User = Schemas['User']
export type SignedIn = Schemas['SignedIn']
export type TokenSummary = Schemas['TokenSummary']
export type CreatedToken = Schemas['CreatedToken']
export type ChatSession = Schemas['ChatSession']
export type ChatSessionList = Schemas['ChatSessionList']
export type ChatMessage = Schemas['ChatMessage']
export type ChatMessageList = Schemas['ChatMessageList']
export type Welcome = Schemas['Welcome']
export type Source = Schemas['Source']
export type Article = Schemas['Article']

export type ChatMode = ChatSession['mode']
export type Rating = NonNullable<ChatMessage['feedback']>
