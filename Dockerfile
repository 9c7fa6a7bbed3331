# The program with every extra, in the pinned versions. `make setup` also builds the web page.
FROM python:3.11-slim AS build
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /towpath
COPY . .
RUN make setup

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 towpath && install -d -o towpath /data
COPY --from=build /towpath /towpath
ENV PATH=/towpath/.venv/bin:$PATH TOWPATH_DATA=/data
USER towpath
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["towpath"]
CMD ["serve"]
