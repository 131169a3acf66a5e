from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("calls", "0003_what_calls_keep")]

    operations = [
        migrations.AddField(
            model_name="modelendpoint",
            name="sorts_by_priority",
            field=models.BooleanField(default=False),
        ),
    ]
