"""Language models: one adapter over LangChain's chat models, and the factory that makes them."""
