package com.example.demo.model;

import java.sql.ResultSet;
import java.util.Properties;

/**
 * Model of XX_Machine with its own logic. This file is written once and then yours.
 */
public class MMachine extends X_XX_Machine {

	private static final long serialVersionUID = 20200101L;

	public MMachine(Properties ctx, int XX_Machine_ID, String trxName) {
		super(ctx, XX_Machine_ID, trxName);
	}

	public MMachine(Properties ctx, String XX_Machine_UU, String trxName) {
		super(ctx, XX_Machine_UU, trxName);
	}

	public MMachine(Properties ctx, ResultSet rs, String trxName) {
		super(ctx, rs, trxName);
	}

	/**
	 * Is called before the record is saved.
	 *
	 * @return false to stop; log.saveError tells the user why
	 */
	@Override
	protected boolean beforeSave(boolean newRecord) {
		return super.beforeSave(newRecord);
	}
}
