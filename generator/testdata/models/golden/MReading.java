package com.example.demo.model;

import java.sql.ResultSet;
import java.util.Properties;

/**
 * Model of XX_Reading with its own logic. This file is written once and then yours.
 */
public class MReading extends X_XX_Reading {

	private static final long serialVersionUID = 20200101L;

	public MReading(Properties ctx, String XX_Reading_UU, String trxName) {
		super(ctx, XX_Reading_UU, trxName);
	}

	public MReading(Properties ctx, ResultSet rs, String trxName) {
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
