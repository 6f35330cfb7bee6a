// GET /api/v1/series on Hono, Drizzle and postgres.js: the same table, statement, fields and
// cursor as ours, and none of the middleware (no log, no metrics, no security headers).
import { createHmac, timingSafeEqual } from 'node:crypto'
import { serve } from '@hono/node-server'
import { and, desc, inArray, isNull, sql } from 'drizzle-orm'
import {
  bigint, boolean, integer, numeric, pgTable, smallint, text, timestamp, uuid,
} from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import { Hono } from 'hono'
import postgres from 'postgres'

const stories = pgTable('stories', {
  id: bigint('id', { mode: 'number' }).primaryKey(),
  uid: uuid('uid').notNull(),
  kind: text('kind').notNull(),
  source: text('source').notNull(),
  slug: text('slug').notNull(),
  title: text('title').notNull(),
  authors: text('authors').array().notNull(),
  status: smallint('status').notNull(),
  isNsfw: boolean('is_nsfw').notNull(),
  isPublic: boolean('is_public').notNull(),
  ageRating: text('age_rating'),
  coverUrl: text('cover_url'),
  language: text('language').notNull(),
  originalLanguage: text('original_language'),
  chapterCount: integer('chapter_count').notNull(),
  lastChapterNo: numeric('last_chapter_no'),
  followerCount: integer('follower_count').notNull(),
  ratingAvg: numeric('rating_avg'),
  popularityScore: numeric('popularity_score').notNull(),
  publishedAt: timestamp('published_at', { withTimezone: true }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  deletedAt: timestamp('deleted_at', { withTimezone: true }),
})

const columns = {
  id: stories.id,
  uid: stories.uid,
  kind: stories.kind,
  source: stories.source,
  slug: stories.slug,
  title: stories.title,
  authors: stories.authors,
  status: stories.status,
  isNsfw: stories.isNsfw,
  ageRating: stories.ageRating,
  warnings: sql`ARRAY(
    SELECT ARRAY[terms.slug, terms.name] FROM story_terms
    JOIN terms ON terms.id = story_terms.term_id
    JOIN taxonomies ON taxonomies.id = terms.taxonomy_id
    WHERE story_terms.story_id = stories.id AND taxonomies.slug = 'warning'
    ORDER BY terms.slug)`,
  coverUrl: stories.coverUrl,
  language: stories.language,
  originalLanguage: stories.originalLanguage,
  chapterCount: stories.chapterCount,
  lastChapterNo: stories.lastChapterNo,
  followerCount: stories.followerCount,
  ratingAvg: stories.ratingAvg,
  popularityScore: stories.popularityScore,
  newestAt: sql`coalesce(${stories.publishedAt}, ${stories.createdAt})`,
  createdAt: stories.createdAt,
  updatedAt: stories.updatedAt,
}

const STATUSES = ['draft', 'ongoing', 'completed', 'hiatus', 'dropped']
const SECRET = process.env.SESSION_SECRET
const LIST = 'series:updated'

const { PGHOST: host, PGUSER: user, PGDATABASE: database } = process.env
const db = drizzle(postgres({ host, user, database, max: 10 }))

const tag = (body) => createHmac('sha256', SECRET).update(LIST).update(body).digest().subarray(0, 12)

function encodeCursor(row) {
  const body = Buffer.from(JSON.stringify([row.updatedAt, row.id]))
  return Buffer.concat([body, tag(body)]).toString('base64url')
}

function decodeCursor(text) {
  const raw = Buffer.from(text, 'base64url')
  const body = raw.subarray(0, -12)
  if (raw.length < 13 || !timingSafeEqual(raw.subarray(-12), tag(body))) return null
  return JSON.parse(body)
}

const toSeries = (row) => ({
  id: row.uid,
  slug: row.source === 'local' ? row.slug : `${row.source}:${row.slug}`,
  title: row.title,
  contentType: row.kind,
  status: STATUSES[row.status],
  source: row.source,
  language: row.language,
  originalLanguage: row.originalLanguage,
  authors: row.authors,
  coverUrl: row.coverUrl,
  isNsfw: row.isNsfw,
  ageRating: row.ageRating,
  warnings: row.warnings.map(([slug, name]) => ({ slug, name })),
  chapterCount: row.chapterCount,
  lastChapter: row.lastChapterNo === null ? null : Number(row.lastChapterNo),
  followerCount: row.followerCount,
  rating: row.ratingAvg === null ? null : Number(row.ratingAvg),
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

const app = new Hono()

app.get('/api/v1/series', async (c) => {
  const limit = Number(c.req.query('limit') ?? '20')
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    return c.json({ error: 'limit', code: 'VALIDATION_ERROR' }, 422)
  }
  const open = sql`${stories.isPublic}`
  const conditions = [isNull(stories.deletedAt), inArray(stories.status, [1, 2]), open]
  const cursor = c.req.query('cursor')
  if (cursor !== undefined) {
    const after = decodeCursor(cursor)
    if (after === null) return c.json({ error: 'cursor', code: 'VALIDATION_ERROR' }, 422)
    conditions.push(sql`(${stories.updatedAt}, ${stories.id}) < (${after[0]}, ${after[1]})`)
  }
  const rows = await db.select(columns).from(stories).where(and(...conditions))
    .orderBy(desc(stories.updatedAt), desc(stories.id)).limit(limit + 1)
  const hasMore = rows.length > limit
  const items = rows.slice(0, limit)
  const nextCursor = hasMore ? encodeCursor(items[items.length - 1]) : null
  return c.json({ items: items.map(toSeries), nextCursor, hasMore })
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) })
