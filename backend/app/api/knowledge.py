"""Articles, for whoever is signed in."""

from uuid import UUID

from fastapi import APIRouter

from backend.app.api.deps import CurrentServices, SignedInRoute
from backend.app.domain.knowledge import ArticleId
from backend.app.schemas.knowledge import Article

router = APIRouter(prefix="/api/knowledge", tags=["knowledge"], route_class=SignedInRoute)


@router.get("/articles/{article_id}")
async def get_article(article_id: UUID, services: CurrentServices) -> Article:
    """An article, so that a citation can be opened where it stands."""
    return Article.model_validate(await services.library.article(ArticleId(article_id)))
