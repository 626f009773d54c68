-- What scripts call in the ERP's database, written for tests from the
-- description of what each does.

CREATE VIEW dual AS SELECT 'X'::varchar AS dummy;

CREATE FUNCTION getdate() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT statement_timestamp()';

CREATE FUNCTION generate_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS 'SELECT gen_random_uuid()';

-- The setting of the most specific tenant and organization, or what is given.
CREATE FUNCTION get_sysconfig(setting varchar, otherwise varchar, client numeric, org numeric) RETURNS varchar LANGUAGE sql STABLE AS $$
	SELECT COALESCE((SELECT s.value FROM ad_sysconfig s
		WHERE s.name = setting AND s.isactive = 'Y' AND s.ad_client_id IN (0, client) AND s.ad_org_id IN (0, org)
		ORDER BY s.ad_client_id DESC, s.ad_org_id DESC LIMIT 1), otherwise)
$$;

-- The next id of a sequence: an unknown one gives nothing, and no error leaves it.
CREATE FUNCTION nextid(sequence integer, system varchar, OUT id integer) LANGUAGE plpgsql AS $$
BEGIN
	IF system = 'Y' THEN
		UPDATE ad_sequence s SET currentnextsys = s.currentnextsys + s.incrementno
			WHERE s.ad_sequence_id = sequence RETURNING s.currentnextsys - s.incrementno INTO id;
	ELSIF get_sysconfig('SYSTEM_NATIVE_SEQUENCE', 'N', 0, 0) = 'Y' THEN
		SELECT nextval(s.name || '_sq') INTO id FROM ad_sequence s WHERE s.ad_sequence_id = sequence;
	ELSE
		UPDATE ad_sequence s SET currentnext = s.currentnext + s.incrementno
			WHERE s.ad_sequence_id = sequence RETURNING s.currentnext - s.incrementno INTO id;
	END IF;
EXCEPTION WHEN OTHERS THEN
	RAISE NOTICE '%', SQLERRM;
END $$;

CREATE FUNCTION nextidfunc(sequence integer, system varchar) RETURNS integer LANGUAGE sql VOLATILE AS 'SELECT nextid($1, $2)';

CREATE FUNCTION torecordid(tab varchar, uu varchar) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
	key varchar;
	id integer;
BEGIN
	SELECT c.columnname INTO key FROM ad_column c JOIN ad_table t USING (ad_table_id)
		WHERE lower(t.tablename) = lower(tab) AND c.iskey = 'Y' AND c.isactive = 'Y';
	IF key IS NULL THEN
		RAISE EXCEPTION 'table % has no key column', tab;
	END IF;
	EXECUTE format('SELECT %I FROM %I WHERE %I = $1::uuid', lower(key), lower(tab), lower(tab) || '_uu') INTO STRICT id USING uu;
	RETURN id;
END $$;

CREATE FUNCTION register_migration_script(p_name varchar) RETURNS varchar LANGUAGE plpgsql AS $$
BEGIN
	UPDATE ad_system SET lastmigrationscriptapplied = p_name
		WHERE lastmigrationscriptapplied IS NULL OR lastmigrationscriptapplied < p_name;
	UPDATE ad_migrationscript SET updated = now(), description = COALESCE(description, ' ') || ' reapplied'
		WHERE ad_migrationscript_id = (SELECT max(ad_migrationscript_id) FROM ad_migrationscript WHERE name = p_name);
	IF FOUND THEN
		RAISE NOTICE '% was there', p_name;
		RETURN p_name || ' was there';
	END IF;
	INSERT INTO ad_migrationscript (ad_migrationscript_id, ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby,
			name, filename, projectname, releaseno, status, isapply, scriptroll, ad_migrationscript_uu)
		VALUES (nextidfunc(53081, 'N'), 0, 0, 'Y', now(), 100, now(), 100,
			p_name, 'postgresql/' || p_name, 'iDempiere', (SELECT releaseno FROM ad_system), 'CO', 'Y', 'N', generate_uuid());
	RETURN p_name || ' is registered';
END $$;

-- Changes a column: its type when it differs (views on it are dropped and made
-- again), its default ('null' for none), whether it may be empty.
CREATE FUNCTION altercolumn(tab name, col name, datatype name, nullclause varchar, defaultclause varchar) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	has text;
	target text := 'ALTER TABLE ' || lower(tab) || ' ALTER COLUMN ' || quote_ident(lower(col));
	views record;
	remake text[] := '{}';
BEGIN
	IF datatype IS NOT NULL THEN
		SELECT format_type(a.atttypid, a.atttypmod) INTO STRICT has FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
			JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = 'adempiere' AND c.relname = lower(tab) AND a.attname = lower(col);
		has := replace(replace(replace(has, ',0', ''), 'character varying', 'varchar'), 'timestamp without time zone', 'timestamp');
		IF has <> lower(datatype) THEN
			FOR views IN SELECT DISTINCT v.oid, v.relname, pg_get_viewdef(v.oid) AS body FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
					JOIN pg_class v ON v.oid = r.ev_class JOIN pg_class c ON c.oid = d.refobjid
					JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
					WHERE c.relname = lower(tab) AND a.attname = lower(col) AND v.relkind = 'v' LOOP
				EXECUTE format('DROP VIEW %I', views.relname);
				remake := remake || format('CREATE VIEW %I AS %s', views.relname, views.body);
			END LOOP;
			EXECUTE target || ' TYPE ' || datatype;
			FOR i IN 1 .. cardinality(remake) LOOP
				EXECUTE remake[i];
			END LOOP;
		END IF;
	END IF;
	IF lower(defaultclause) = 'null' THEN
		EXECUTE target || ' DROP DEFAULT';
	ELSIF defaultclause ~ '[(].*[)]' OR lower(defaultclause) = 'current_timestamp' THEN
		EXECUTE target || ' SET DEFAULT ' || defaultclause;
	ELSIF defaultclause IS NOT NULL THEN
		EXECUTE target || ' SET DEFAULT ''' || defaultclause || '''';
	END IF;
	IF lower(nullclause) = 'not null' THEN
		EXECUTE target || ' SET NOT NULL';
	ELSIF lower(nullclause) = 'null' THEN
		EXECUTE target || ' DROP NOT NULL';
	END IF;
END $$;

CREATE TABLE t_alter_column (tablename name, columnname name, datatype name, nullclause varchar(10), defaultclause varchar(200));
CREATE RULE alter_column_rule AS ON INSERT TO t_alter_column
	DO INSTEAD SELECT altercolumn(new.tablename, new.columnname, new.datatype, new.nullclause, new.defaultclause);

-- Raises the counters of tables above the highest id in use, as after a batch of
-- scripts.
CREATE FUNCTION update_sequences() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t record;
	top integer;
BEGIN
	FOR t IN SELECT name AS tablename FROM ad_sequence WHERE istableid = 'Y' LOOP
		CONTINUE WHEN to_regclass(lower(t.tablename)) IS NULL;
		EXECUTE format('SELECT max(%I) FROM %I', lower(t.tablename) || '_id', lower(t.tablename)) INTO top;
		UPDATE ad_sequence SET currentnext = greatest(currentnext, COALESCE(top, 0) + 1) WHERE name = t.tablename AND istableid = 'Y';
	END LOOP;
END $$;
