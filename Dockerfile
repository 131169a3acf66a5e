# The application: web, scoring, workers and beat are one image with different commands.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=rubricstudio.settings.prod \
    RUBRICSTUDIO_DATA=/data

WORKDIR /app
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock
COPY . .
RUN python -m pip install --no-cache-dir --no-deps --no-build-isolation -e . \
    && useradd --system --create-home rubric \
    && mkdir /data && chown rubric /data \
    && SECRET_KEY=only-while-building DATABASE_URL=postgresql://nobody@127.0.0.1/none \
       python manage.py collectstatic --noinput

USER rubric
VOLUME /data
EXPOSE 8000
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", \
     "--workers", "2", "--blocking-threads", "8", "rubricstudio.wsgi:application"]
