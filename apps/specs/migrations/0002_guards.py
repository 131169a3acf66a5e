from django.db import migrations

from apps.activity.schema import guard

# A bundle pins the spec it froze: not even its state moves any more.
FROZEN_IS_FROZEN = """
CREATE FUNCTION specs_frozen_is_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'frozen' AND OLD IS DISTINCT FROM NEW THEN
        RAISE EXCEPTION 'spec % is frozen: write a new version', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER specs_spec_frozen BEFORE UPDATE ON specs_spec
    FOR EACH ROW EXECUTE FUNCTION specs_frozen_is_frozen();
"""


class Migration(migrations.Migration):
    dependencies = [("specs", "0001_initial"), ("activity", "0002_guards")]

    operations = [
        migrations.RunSQL(FROZEN_IS_FROZEN, "DROP FUNCTION specs_frozen_is_frozen() CASCADE"),
        guard("specs_spec", movable=["state", "approved_by_id", "approved_at", "frozen_at"]),
        guard("specs_criterion"),
        guard("specs_constraint"),
        guard("specs_checker"),
    ]
