# The service, as a user without rights on a root that may be read-only; it writes to /data (SQLite
# and the key file, where they are used) and to /tmp.
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
RUN python -m venv --without-pip /opt/plyscribe
COPY requirements-traces.lock requirements-build.lock ./
RUN pip install --require-hashes --only-binary :all: --requirement requirements-build.lock \
 && pip --python /opt/plyscribe/bin/python install \
        --require-hashes --only-binary :all: --requirement requirements-traces.lock
COPY pyproject.toml README.md LICENSE ./
COPY games games
COPY events events
COPY projections projections
COPY service service
COPY openapi openapi
RUN pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
 && pip --python /opt/plyscribe/bin/python install --no-deps --no-index dist/*.whl

FROM python:${PYTHON}
LABEL org.opencontainers.image.title="plyscribe" org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/plyscribe /opt/plyscribe
RUN install --directory --owner 10001 --group 10001 --mode 0700 /data
ENV PATH=/opt/plyscribe/bin:$PATH HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    PLYSCRIBE_DATA_DIR=/data PLYSCRIBE_HOST=0.0.0.0 PLYSCRIBE_PORT=8000
USER 10001:10001
WORKDIR /tmp
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['PLYSCRIBE_PORT'] + '/livez', timeout=4)"]
ENTRYPOINT ["plyscribe"]
CMD ["serve"]
