# The application: web, workers and beat are one image with different commands (docker-compose.yml).
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPATH=/app \
    DJANGO_SETTINGS_MODULE=rubricstudio.settings.prod \
    RUBRICSTUDIO_DATA=/data

WORKDIR /app
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir --no-deps --require-hashes --only-binary :all: \
        -r requirements.lock \
    && useradd --system --create-home rubric \
    && mkdir /data \
    && chown rubric /data

COPY manage.py pyproject.toml LICENSE README.md ./
COPY rubricstudio rubricstudio
COPY apps apps
COPY workers workers
COPY templates templates
COPY static static
COPY docs/glossary.md docs/
# Collected into the image: the container's own file system is read-only.
RUN SECRET_KEY=only-while-building DATABASE_URL=postgresql://nobody@127.0.0.1/none \
    python manage.py collectstatic --noinput

USER rubric
VOLUME /data
EXPOSE 8000
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", \
     "--workers", "2", "--blocking-threads", "8", "rubricstudio.wsgi:application"]
