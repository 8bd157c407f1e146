"""What the browser tests are made of: server, browser, pages, views."""
