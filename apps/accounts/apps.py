from django.apps import AppConfig
from django.db.backends.signals import connection_created


class AccountsConfig(AppConfig):
    name = "apps.accounts"

    def ready(self) -> None:
        from apps.accounts.read_only import refuse_with_a_sentence

        connection_created.connect(refuse_with_a_sentence)
